/** Placeholder: its author is writing it. */
export function AssistantsPage() {
  return null;
}
