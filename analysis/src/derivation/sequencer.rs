//! Sequencers: entries, merging, access size, contiguity.
