import { Lock } from "lucide-react";

interface NotAllowedProps {
  /** What is kept from them, within a sentence: "the audit log". */
  readonly what: string;
  /** "owner or admin of Acme", "administrator of the platform". */
  readonly needs?: string;
}

/** In place of what the person may not see: which role it takes, and who gives it. */
export function NotAllowed(props: NotAllowedProps) {
  return (
    <div className="grid content-start justify-items-start gap-1 p-6 bg-surface border border-border rounded-panel">
      <Lock size={20} strokeWidth={1.5} className="text-muted" aria-hidden />
      <h2 className="text-section font-semibold">Your role does not show {lowerFirst(props.what)}</h2>
      <p className="text-body text-muted">
        It takes the role {props.needs ?? "owner or admin of this organization"}. Whoever has that role can give it to
        you.
      </p>
    </div>
  );
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
