/** The target of a command does not exist. The message says where the command searched for it. */
export class NotFound extends Error {}
