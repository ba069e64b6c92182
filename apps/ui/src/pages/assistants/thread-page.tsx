/** Placeholder: its author is writing it. */
export function ThreadPage() {
  return null;
}
