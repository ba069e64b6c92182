import type { ErrorComponentProps } from "@tanstack/react-router";
import { ApiError } from "@tollgate/sdk/platform";
import { Button } from "../components/button.tsx";
import { ErrorText } from "../components/error-text.tsx";

/** Shows the error and a retry button if a page fails to render. The rest of the console still works. */
export function BrokenPage({ error: thrown }: ErrorComponentProps) {
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const requestId = error instanceof ApiError ? error.requestId : null;
  return (
    <div role="alert" className="mx-auto max-w-lg px-6 py-20">
      <h1 className="text-title">Could not load this page</h1>
      <p className="mt-2 text-muted">
        {/* A bug in the page is described as it is. Elsewhere, a TypeError means that no response arrived. */}
        {error instanceof ApiError ? <ErrorText error={error} /> : error.message}
      </p>
      {requestId !== null && <p className="mt-1 font-mono text-meta text-muted">Request ID: {requestId}</p>}
      <div className="mt-4">
        <Button variant="primary" onClick={() => window.location.reload()}>
          Reload
        </Button>
      </div>
    </div>
  );
}
