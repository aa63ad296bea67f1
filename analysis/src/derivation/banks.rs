//! Banks of DM: the longest run of consecutive accesses to one bank.
