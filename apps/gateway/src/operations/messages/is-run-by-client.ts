/** Matches tools that the client runs itself, by their type. The provider charges for running any other tool. */
const runByClient = /^(?:custom$|bash_|text_editor_|computer_|browser_|memory_)/;

/** Reports whether the client runs tools of this type. */
export function isRunByClient(type: unknown): boolean {
  return type == null || (typeof type === "string" && runByClient.test(type));
}
