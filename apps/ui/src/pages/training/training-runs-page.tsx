/** Placeholder: its author is writing it. */
export function TrainingRunsPage() {
  return null;
}
