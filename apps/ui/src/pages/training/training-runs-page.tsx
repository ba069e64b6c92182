import { Link, useNavigate } from "@tanstack/react-router";
import { useMe } from "../../api/me.ts";
import { useCall } from "../../api/queries.ts";
import { Button } from "../../components/button.tsx";
import { CodeBlock } from "../../components/code-block.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { NotAllowed } from "../../components/not-allowed.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { Time } from "../../components/time.tsx";
import { plural } from "../../format/plural.ts";
import { useSearchState } from "../../router-search.ts";
import { formatAccuracy, RunStatus, type RunSummary } from "./run-status.tsx";

const EVERY_MS = 10_000;

/** Training runs on this server. For platform administrators. */
export function TrainingRunsPage() {
  const { isAdministrator } = useMe();
  const navigate = useNavigate();
  const [state, set] = useSearchState({ chosen: [] });
  const list = useCall("listTrainingRuns", {}, { enabled: isAdministrator, refetchMs: EVERY_MS });
  if (!isAdministrator)
    return (
      <Page title="Training runs">
        <NotAllowed what="training runs" needs="platform administrator" />
      </Page>
    );
  const [first, second] = state.chosen;
  const open = (runId: string, compare?: string) =>
    void navigate({
      to: "/training/$runId",
      params: { runId },
      search: compare === undefined ? {} : { compare },
    });
  return (
    <Page
      title="Training runs"
      wide
      note={list.data?.enabled === true ? plural(list.data.runs.length, "run") : undefined}
      action={
        <Button
          isReasonShown
          disabledReason={
            state.chosen.length === 2 && first !== undefined && second !== undefined ? null : "Select two runs"
          }
          onClick={() => first !== undefined && open(first, second)}
        >
          Compare runs
        </Button>
      }
    >
      <Loaded query={list} what="Training runs">
        {({ enabled, runs }) => (
          <Panel flush>
            {enabled ? (
              <DataTable
                label="Training runs"
                columns={columns}
                rows={runs}
                rowKey={({ id }) => id}
                onOpen={({ id }) => open(id)}
                selection={{
                  keys: state.chosen,
                  onChange: (chosen) => set({ chosen: chosen.slice(-2) }, { replace: true }),
                }}
                card={(run) => <RunCard run={run} />}
                empty={<NoRuns />}
              />
            ) : (
              <EmptyState title="No runs folder configured">
                Set <code className="font-mono text-table">training_settings.runs_dir</code> to the folder where
                coordinators write their runs. Runs appear here as soon as they start.
              </EmptyState>
            )}
          </Panel>
        )}
      </Loaded>
    </Page>
  );
}

const columns: readonly Column<RunSummary>[] = [
  {
    id: "name",
    header: "Run",
    cell: ({ id, name }) => (
      <Link to="/training/$runId" params={{ runId: id }} className="block max-w-96 truncate hover:underline">
        <span className="font-medium">{name}</span> <span className="font-mono text-meta text-muted">{id}</span>
      </Link>
    ),
  },
  { id: "status", header: "Status", cell: (run) => <RunStatus run={run} /> },
  {
    id: "rounds",
    header: "Rounds",
    align: "right",
    cell: ({ roundsDone, roundsTotal }) => `${roundsDone} of ${roundsTotal}`,
  },
  { id: "participants", header: "Participants", align: "right", priority: 2, cell: ({ participants }) => participants },
  {
    id: "accuracy",
    header: "Latest accuracy",
    align: "right",
    cell: ({ lastAccuracy }) => formatAccuracy(lastAccuracy),
  },
  { id: "method", header: "Aggregation", priority: 1, cell: ({ method }) => method },
  { id: "started", header: "Started", priority: 3, cell: ({ startedAt }) => <Time at={startedAt} form="minute" /> },
];

function RunCard({ run }: { readonly run: RunSummary }) {
  return (
    <>
      <span className="flex justify-between gap-2">
        <span className="truncate font-medium">{run.name}</span>
        <RunStatus run={run} />
      </span>
      <span className="text-meta text-muted">
        {run.roundsDone} of {plural(run.roundsTotal, "round")}, {plural(run.participants, "participant")}, accuracy{" "}
        {formatAccuracy(run.lastAccuracy)}
      </span>
    </>
  );
}

function NoRuns() {
  return (
    <EmptyState
      title="No runs yet"
      code={
        <CodeBlock
          tabs={[
            {
              label: "Shell",
              code: "tollgate train new demo && cd demo\ntollgate train run --participants 3 --rounds 5",
            },
          ]}
        />
      }
    >
      A run trains one model with several participants, round by round. Start one from the command line.
    </EmptyState>
  );
}
