import type { UseQueryResult } from "@tanstack/react-query";
import { ApiError } from "@tollgate/sdk/platform";
import { Button } from "../../components/button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { ErrorNotice } from "../../components/error-notice.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { NoMatches } from "../../components/no-matches.tsx";
import { NotAllowed } from "../../components/not-allowed.tsx";
import { Notice } from "../../components/notice.tsx";
import { Panel } from "../../components/panel.tsx";

const nothing = () => {};

const STOPPED = new ApiError(503, "The query was canceled after 5 s", {
  code: "DB_TIMEOUT",
  reason: null,
  details: {},
  requestId: "req_01K9W41B7E2S",
  fix: null,
  limit: null,
  docUrl: null,
  retryAfterSeconds: null,
});

const WAITING = { isFetching: true, isError: false, error: null, data: undefined } as UseQueryResult<string, Error>;

/** Samples of empty, loading, error, and no-access states. */
export function StatesSample() {
  return (
    <>
      <div className="grid gap-3">
        <ErrorNotice what="Latency" error={STOPPED} onRetry={nothing} />
        <Notice tone="warning">3 of 4 sources responded. Azure counts have been missing since 13:10.</Notice>
        <Notice tone="info">Order ord_9QX4 is paid. Credits usually arrive within 20 s.</Notice>
        <Notice tone="success" title="3 teams unblocked." action={<Button size="sm">Open</Button>}>
          Requests from these teams are accepted again.
        </Notice>
        <Notice tone="neutral">Data up to 14:05.</Notice>
      </div>
      <div className="grid lg:grid-cols-2 items-start gap-4 [&>*]:min-w-0">
        <Panel flush>
          <EmptyState title="No keys yet" action={<Button variant="primary">Create key</Button>}>
            API keys let your applications call models. Create one to get started.
          </EmptyState>
        </Panel>
        <Panel flush>
          <NoMatches
            what="requests"
            filters={[
              { label: "Status 429", onRemove: nothing },
              { label: "Model gpt-5", onRemove: nothing },
            ]}
            onClear={nothing}
          />
        </Panel>
        <NotAllowed what="the reconciliation" needs="owner or admin of Acme" />
        <Panel title="Loading" flush>
          <Loaded query={WAITING}>{(text) => text}</Loaded>
        </Panel>
      </div>
    </>
  );
}
