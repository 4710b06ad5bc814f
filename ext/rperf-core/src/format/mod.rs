//! Encoders and decoders: profiles to bytes and back. They neither open files nor print.
