"""The commands: names, options and help. What a command does is imported when it is asked for."""
