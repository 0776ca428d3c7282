"""The page of run folders, served on this machine or exported as one file."""
