import { describeError } from "./describe-error.ts";
import { Notice } from "./notice.tsx";

interface ErrorNoticeProps {
  readonly error: unknown;
  readonly onRetry?: () => void;
  /** What did not load, as the subject of the sentence: "Latency", "The key list". */
  readonly what: string;
}

/** Says what did not load and under which request id; the rest of the page stays as it is. */
export function ErrorNotice(props: ErrorNoticeProps) {
  const { message, requestId, docUrl } = describeError(props.error);
  return (
    <Notice tone="danger" title={`${props.what} did not load.`}>
      {message}
      {requestId ? (
        <>
          {" "}
          Request <span className="font-mono text-meta">{requestId}</span>.
        </>
      ) : null}{" "}
      {docUrl ? (
        <>
          <a href={docUrl} rel="noreferrer" target="_blank" className="text-accent hover:underline">
            About this error
          </a>{" "}
        </>
      ) : null}
      {props.onRetry ? (
        <button type="button" onClick={props.onRetry} className="font-medium text-accent hover:underline">
          Retry
        </button>
      ) : null}
    </Notice>
  );
}
