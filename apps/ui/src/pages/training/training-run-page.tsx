/** Placeholder: its author is writing it. */
export function TrainingRunPage() {
  return null;
}
