//! Collecting from outside: frames, stacks, labels and samples, and what did not fit.

mod blocks;
mod drops;
mod frames;
mod in_use;
mod labels;
mod limits;
mod live;
mod merged;
mod objects;
mod raw;
mod samples;
mod stacks;
mod works;
