import { Link } from "@tanstack/react-router";
import { ApiError } from "@tollgate/sdk/platform";
import { ButtonLink } from "../../components/button.tsx";
import { describeError } from "../../components/describe-error.ts";
import { ErrorText } from "../../components/error-text.tsx";
import { Notice } from "../../components/notice.tsx";
import { RefusalCard } from "../../components/refusal-card.tsx";

/** Explains why a request failed: the limit that caused the refusal and how to fix it, or the error. */
export function CallFailure({ error }: { readonly error: unknown }) {
  if (error instanceof ApiError && error.limit !== null) {
    const { code, message, limit, fix, docUrl } = error;
    const isMoney = error.status === 402 || code === "QUOTA_EXCEEDED" || /credit|budget/i.test(code);
    return (
      <RefusalCard
        refusal={{
          code,
          message,
          fix,
          docUrl,
          limit: { ...limit, current: String(limit.current), maximum: String(limit.maximum) },
        }}
        actions={
          isMoney && (
            <ButtonLink to="/credits" size="sm">
              Go to Credits
            </ButtonLink>
          )
        }
      />
    );
  }
  const { requestId } = describeError(error);
  const code = error instanceof ApiError ? error.code : null;
  return (
    <Notice tone="danger" title="Request failed.">
      <ErrorText error={error} />
      {code !== null && <code className="ml-1 font-mono text-meta text-muted">{code}</code>}
      {requestId !== null && (
        <Link
          to="/logs/$callId"
          params={{ callId: requestId }}
          className="block font-mono text-meta text-muted hover:underline"
        >
          Request {requestId}
        </Link>
      )}
    </Notice>
  );
}
