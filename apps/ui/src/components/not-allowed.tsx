import { Lock } from "lucide-react";
import { ErrorText } from "./error-text.tsx";
import { lowerFirst } from "./lower-first.ts";

interface NotAllowedProps {
  /** The restricted content, as part of a sentence: "the audit log". */
  readonly what: string;
  /** Required role: "owner or admin of Acme", "platform administrator". */
  readonly needs?: string;
  /** The server's refusal. It names the role and the fix itself. */
  readonly error?: unknown;
}

/** Placeholder for content that the user can't access. Names the required role and says who to ask. */
export function NotAllowed(props: NotAllowedProps) {
  return (
    <div className="grid content-start justify-items-start gap-1 p-6 bg-surface border border-border rounded-panel">
      <Lock size={20} strokeWidth={1.5} className="text-muted" aria-hidden />
      <h2 className="text-section font-semibold">You don't have access to {lowerFirst(props.what)}</h2>
      <p className="text-body text-muted">
        {props.error === undefined ? (
          `Required role: ${props.needs ?? "owner or admin of this organization"}. Ask a user with this role for access.`
        ) : (
          <ErrorText error={props.error} />
        )}
      </p>
    </div>
  );
}
