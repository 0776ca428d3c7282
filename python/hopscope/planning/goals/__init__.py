"""What the user of a scenario cares about, the figures of a run that say it, and when they say too little."""
