import { useParams } from "@tanstack/react-router";
import { formatBytes } from "@tollgate/domain/figures/size-text.ts";
import { ArrowLeftRight, Download } from "lucide-react";
import { useEffect, useState } from "react";
import { useMe } from "../../api/me.ts";
import { useCall } from "../../api/queries.ts";
import { basePath } from "../../base-path.ts";
import { Button } from "../../components/button.tsx";
import { ErrorText } from "../../components/error-text.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Menu } from "../../components/menu.tsx";
import { NotAllowed } from "../../components/not-allowed.tsx";
import { Notice } from "../../components/notice.tsx";
import { Page } from "../../components/page.tsx";
import { Time } from "../../components/time.tsx";
import { useSearchState } from "../../router-search.ts";
import { AccuracyPanel } from "./accuracy-panel.tsx";
import { CompareTable } from "./compare-table.tsx";
import { DurationPanel } from "./duration-panel.tsx";
import { LossPanel } from "./loss-panel.tsx";
import { MatrixPanel } from "./matrix-panel.tsx";
import { RunFigures } from "./run-figures.tsx";
import { type Run, RunStatus, reasonOf } from "./run-status.tsx";

const EVERY_MS = 10_000;

/** A training run, round by round, updated while it is running, with an optional second run to compare. */
export function TrainingRunPage() {
  const { isAdministrator } = useMe();
  const { runId } = useParams({ strict: false }) as { readonly runId: string };
  const [state, set] = useSearchState({ compare: "" });
  const list = useCall("listTrainingRuns", {}, { enabled: isAdministrator, staleMs: 60_000 });
  const query = useLiveRun(runId, isAdministrator);
  const other = useCall("getTrainingRun", { params: { id: state.compare } }, { enabled: state.compare !== "" });
  const run = query.data?.run;
  if (!isAdministrator)
    return (
      <Page title="Training run">
        <NotAllowed what="training runs" needs="platform administrator" />
      </Page>
    );
  const compared = state.compare === "" ? null : (other.data?.run ?? null);
  const others = (list.data?.runs ?? []).filter(({ id }) => id !== runId);
  return (
    <Page
      title={run?.name ?? "Training run"}
      wide
      note={
        run && (
          <span className="flex flex-wrap items-center gap-3">
            <RunStatus run={run} />
            <span>
              started <Time at={run.startedAt} form="minute" />
            </span>
            <span className="font-mono text-meta">{run.id}</span>
          </span>
        )
      }
      action={
        run && (
          <>
            {state.compare === "" ? (
              <Menu
                label="Compare with"
                trigger={
                  <Button
                    icon={<ArrowLeftRight size={14} strokeWidth={1.5} />}
                    disabledReason={others.length === 0 ? "No other runs to compare" : null}
                  >
                    Compare
                  </Button>
                }
                items={others.slice(0, 20).map(({ id, name }) => ({
                  label: `${name}, ${id.slice(-6)}`,
                  onSelect: () => set({ compare: id }),
                }))}
              />
            ) : (
              <Button onClick={() => set({ compare: "" })}>Stop comparing</Button>
            )}
            <Downloads run={run} />
          </>
        )
      }
    >
      <Loaded query={query} what="The training run">
        {({ run: shown }) => (
          <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
            {reasonOf(shown) !== null && (
              <Notice tone={shown.status === "failed" ? "danger" : "warning"}>{reasonOf(shown)}</Notice>
            )}
            {other.isError && (
              <Notice tone="danger" title="Could not load the other run.">
                <ErrorText error={other.error} />
              </Notice>
            )}
            <RunFigures run={shown} />
            {compared !== null && <CompareTable runs={[shown, compared]} />}
            <div className="grid grid-cols-[minmax(0,2.1fr)_minmax(0,1fr)] gap-4 max-lg:grid-cols-[minmax(0,1fr)]">
              <AccuracyPanel run={shown} other={compared} />
              <div className="grid grid-cols-[minmax(0,1fr)] content-start gap-4">
                <LossPanel run={shown} other={compared} />
                <DurationPanel run={shown} />
              </div>
            </div>
            <MatrixPanel run={shown} />
          </div>
        )}
      </Loaded>
    </Page>
  );
}

/** Refetches every ten seconds while the run is active, and once more when it ends. */
function useLiveRun(id: string, enabled: boolean) {
  const [isLive, setLive] = useState(true);
  const query = useCall("getTrainingRun", { params: { id } }, { enabled, refetchMs: isLive ? EVERY_MS : false });
  const status = query.data?.run.status;
  useEffect(() => setLive(status === undefined || status === "running"), [status]);
  return query;
}

function Downloads({ run }: { readonly run: Run }) {
  const address = (name: string) => `${basePath}/api/training/runs/${encodeURIComponent(run.id)}/files/${name}`;
  return (
    <Menu
      label="Download"
      trigger={<Button icon={<Download size={14} strokeWidth={1.5} />}>Download</Button>}
      items={
        run.files.length === 0
          ? [{ label: "No files yet", onSelect: () => {}, disabledReason: "No round has finished" }]
          : run.files.map(({ name, bytes }) => ({
              label: `${names[name] ?? `Final parameters, ${name}`}${bytes === null ? "" : `, ${formatBytes(bytes)}`}`,
              onSelect: () => window.location.assign(address(name)),
            }))
      }
    />
  );
}

const names: Readonly<Record<string, string>> = {
  "history.csv": "History as CSV",
  "history.json": "History as JSON",
  "accuracy.svg": "Chart as SVG",
};
