/** Thrown if the target of a command does not exist. The message says where the command searched. */
export class NotFound extends Error {}
