/** The target of a command does not exist. The message says where it was searched. */
export class NotFound extends Error {}
