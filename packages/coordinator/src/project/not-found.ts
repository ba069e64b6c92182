/** What a command was asked to work on is not there. The message says where it was looked for. */
export class NotFound extends Error {}
