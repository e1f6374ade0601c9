"""What a paper is, what is known of it, where it is kept, and the format of a map build."""
