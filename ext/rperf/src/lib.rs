use magnus as _;
