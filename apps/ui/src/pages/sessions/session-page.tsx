import { formatDuration } from "@tollgate/domain/figures/duration-text.ts";
import { formatCount } from "@tollgate/domain/figures/size-text.ts";
import type { Operations } from "@tollgate/sdk/platform";
import { useCall } from "../../api/queries.ts";
import { ButtonLink } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy-button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Figures } from "../../components/figure-row.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Money } from "../../components/money.tsx";
import { Page } from "../../components/page.tsx";
import { Pager } from "../../components/pager.tsx";
import { Panel } from "../../components/panel.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { Time } from "../../components/time.tsx";
import { plural } from "../../format/plural.ts";
import { useSearchState } from "../../router-search.ts";
import { useRange } from "../../shell/use-range.ts";
import { SessionTimeline } from "./session-timeline.tsx";

type Session = Operations["listRequestSessions"]["answer"]["data"][number];

const PAGE_SIZE = 100;
/** Time range of the page. Sessions are rarely longer, and older requests are still in the logs. */
const RANGE = "30d";

/** One session of the last 30 days: its sums, and its requests on a timeline. */
export function SessionPage() {
  const [state, set] = useSearchState({ session: "", page: "1" });
  const { range, zone } = useRange(RANGE);
  const isNamed = state.session !== "";
  const query = { session: state.session, startDate: range.startDate };
  const found = useCall("listRequestSessions", { query: { ...query, pageSize: 1 } }, { enabled: isNamed });
  const calls = useCall(
    "listLogs",
    { query: { ...query, sort: "createdAt", page: Number(state.page), pageSize: PAGE_SIZE } },
    { enabled: isNamed },
  );
  const session = found.data?.data[0];
  return (
    <Page
      title="Session"
      wide
      note={range.label}
      action={
        <>
          <ButtonLink to="/logs" search={{ session: state.session, range: RANGE }} size="sm">
            View in logs
          </ButtonLink>
          <ButtonLink to="/sessions" size="sm">
            All sessions
          </ButtonLink>
        </>
      }
    >
      {isNamed ? (
        <p className="flex min-w-0 items-center gap-2">
          <span className="min-w-0 font-mono text-body font-semibold wrap-anywhere">{state.session}</span>
          <CopyButton text={state.session} label="Copy session ID" iconOnly />
        </p>
      ) : null}
      {session !== undefined && <Figures items={figuresOf(session)} />}
      <Panel title="Timeline" flush>
        {isNamed ? (
          <Loaded query={calls} what="The requests of this session" skeleton={<Skeleton lines={8} />}>
            {({ data, meta }) =>
              data.length === 0 ? (
                <NoRequests />
              ) : (
                <>
                  <SessionTimeline calls={data} zone={zone} />
                  <div className="border-t border-hairline px-4 py-2 text-meta text-muted">
                    <Pager meta={meta} onPage={(page) => set({ page: String(page) })} what="requests" />
                  </div>
                </>
              )
            }
          </Loaded>
        ) : (
          <NoRequests />
        )}
      </Panel>
    </Page>
  );
}

function NoRequests() {
  return (
    <EmptyState title="No requests with this session">
      A session has the requests of the last 30 days that you can see in the logs.
    </EmptyState>
  );
}

function figuresOf(session: Session) {
  const { requests, failed, refused, rejected, canceled, totalTokens, cost, firstAt, lastAt } = session;
  const stopped = refused + rejected + canceled;
  return [
    { label: "Cost", value: <Money nano={cost} /> },
    {
      label: "Requests",
      value: formatCount(requests),
      note: `${formatCount(failed)} failed, ${formatCount(stopped)} refused, rejected, or canceled`,
    },
    { label: "Tokens", value: formatCount(totalTokens) },
    {
      label: "First to last request",
      value: formatDuration(new Date(lastAt).getTime() - new Date(firstAt).getTime()),
      note: (
        <>
          last <Time at={lastAt} />
        </>
      ),
    },
    { label: "Models", value: session.models.length, note: plural(session.apiKeys.length, "key") },
  ];
}
