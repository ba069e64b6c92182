/** Placeholder: its author is writing it. */
export function InspectPage() {
  return null;
}
