/** New spellings of flags and flag values that were renamed before the first release, by command and old spelling. */
const renamedWords: ReadonlyMap<string, string> = new Map([
  ["ledger verify --at-rest", "--quiescent"],
  ["doctor --only mail", "email"],
]);

/** Returns a message with the new spelling of a renamed flag or value, or null if it was not renamed. */
export function explainRename(command: string, word: string): string | null {
  const newWord = renamedWords.get(`${command} ${word}`);
  return newWord === undefined ? null : `${word} was renamed to ${newWord}.`;
}
