import { describeError } from "./describe-error.ts";
import { ErrorText } from "./error-text.tsx";
import { lowerFirst } from "./lower-first.ts";
import { Notice } from "./notice.tsx";

interface ErrorNoticeProps {
  readonly error: unknown;
  readonly onRetry?: () => void;
  /** Noun phrase for the content that failed to load: "Latency", "The key list". */
  readonly what: string;
  /** The action that failed. */
  readonly verb?: string;
}

/** Reports what failed to load, with the request ID. The rest of the page is unaffected. */
export function ErrorNotice(props: ErrorNoticeProps) {
  const { requestId } = describeError(props.error);
  return (
    <Notice tone="danger" title={`Could not ${props.verb ?? "load"} ${lowerFirst(props.what)}.`}>
      <ErrorText error={props.error} />
      {requestId ? (
        <>
          {" "}
          Request ID: <span className="font-mono text-meta">{requestId}</span>.
        </>
      ) : null}{" "}
      {props.onRetry ? (
        <button type="button" onClick={props.onRetry} className="font-medium text-accent hover:underline">
          Retry
        </button>
      ) : null}
    </Notice>
  );
}
