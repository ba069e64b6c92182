import { Link } from "@tanstack/react-router";
import { formatDuration } from "@tollgate/domain/figures/duration-text.ts";
import { formatCount, formatShare } from "@tollgate/domain/figures/size-text.ts";
import type { Operations } from "@tollgate/sdk/platform";
import { useMe } from "../../api/me.ts";
import { useCall, useChange } from "../../api/queries.ts";
import { StatusCells } from "../../charts/status-cells.tsx";
import { Button } from "../../components/button.tsx";
import { type Column, DataTable } from "../../components/data-table.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Figures } from "../../components/figure-row.tsx";
import { HealthDot } from "../../components/health-dot.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { Time } from "../../components/time.tsx";
import { useToast } from "../../components/toast.tsx";
import { useZone } from "../../components/zone.ts";
import { HealthCharts } from "./health-charts.tsx";
import { joinCells } from "./hours-of.ts";
import { Incidents } from "./incidents.tsx";

type Board = Operations["getDeploymentHealth"]["answer"];
type Deployment = Board["deployments"][number];

const EVERY_MS = 30_000;
/** The board has a cell for each quarter hour, which would be too narrow to see. */
const CELLS_PER_HOUR = 4;

/** Status of every model now and over the last day, and the gateway's overhead. */
export function HealthPage() {
  const { isAdministrator } = useMe();
  const zone = useZone();
  const board = useCall("getDeploymentHealth", {}, { refetchMs: EVERY_MS });
  return (
    <Page
      title="Health"
      note={
        board.data !== undefined && (
          <>
            Checked <Time at={board.data.checkedAt} form="relative" />, refreshed every {EVERY_MS / 1_000} s
          </>
        )
      }
      wide
    >
      <Loaded query={board} what="Model health">
        {({ deployments, gateway, incidents }) => (
          <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
            <Figures
              items={[
                {
                  label: "Gateway overhead, median",
                  value: durationOf(gateway.overheadP50Ms),
                  note: "time added to each request",
                },
                {
                  label: "Gateway overhead, 95th percentile",
                  value: durationOf(gateway.overheadP95Ms),
                  note: "excludes queueing and failed attempts",
                },
                {
                  label: "Requests in flight",
                  value: gateway.inFlight === null ? "Unknown" : formatCount(gateway.inFlight),
                  note: "on this gateway",
                },
                {
                  label: "Queued",
                  value: gateway.queueDepth === null ? "Unknown" : formatCount(gateway.queueDepth),
                  note: "waiting for capacity",
                },
              ]}
            />
            <HealthCharts deployments={deployments} zone={zone} />
            <Panel title="Models" note="last 24 hours, one hour per cell" flush>
              <DataTable
                label="Models"
                columns={columnsOf(zone, isAdministrator, findVersions(deployments))}
                rows={deployments}
                rowKey={(row) => `${row.group} ${row.provider} ${row.deploymentId}`}
                card={(row) => (
                  <span className="grid min-w-0 grid-cols-[minmax(0,1fr)] gap-1">
                    <span className="flex justify-between gap-2">
                      <span className="truncate font-medium">{row.group}</span>
                      <span className="flex-none">
                        <Status row={row} />
                      </span>
                    </span>
                    <StatusCells
                      cells={joinCells(row.cells, CELLS_PER_HOUR)}
                      label="Last 24 hours"
                      size="wide"
                      zone={zone}
                    />
                    <span className="flex items-center justify-between gap-2 text-meta text-muted">
                      <span>
                        {row.successRate === null
                          ? "No requests"
                          : `${formatShare(row.successRate, 2)} of ${formatCount(row.requests)}, median ${durationOf(row.p50LatencyMs)}`}
                      </span>
                      {isAdministrator && <TestButton row={row} />}
                    </span>
                  </span>
                )}
                empty={
                  <EmptyState title="No models yet">Models appear here after they are added or called.</EmptyState>
                }
              />
            </Panel>
            <Incidents incidents={incidents} />
          </div>
        )}
      </Loaded>
    </Page>
  );
}

function columnsOf(
  zone: string,
  isAdministrator: boolean,
  versionedPaths: ReadonlySet<string>,
): readonly Column<Deployment>[] {
  return [
    {
      id: "model",
      header: "Model",
      cell: ({ group, provider, deploymentId }) => (
        <span className="block max-w-64 truncate" title={`${group}, ${provider}, ${deploymentId ?? "no deployment"}`}>
          {/* A name that contains settings is a simulated model, which the hub doesn't list individually. */}
          {group.includes("?") ? (
            <span className="font-medium">{group}</span>
          ) : (
            <Link to="/model_hub_table/$" params={{ _splat: group }} className="font-medium hover:underline">
              {group}
            </Link>
          )}{" "}
          <span className="text-muted">{provider}</span>
          {versionedPaths.has(`${group} ${provider}`) && deploymentId !== null && (
            <span className="ml-1.5 font-mono text-meta text-faint">{shortId(deploymentId)}</span>
          )}
        </span>
      ),
    },
    { id: "status", header: "Status", cell: (row) => <Status row={row} /> },
    {
      id: "cells",
      header: "Last 24 hours",
      priority: 5,
      cell: ({ cells }) => (
        <StatusCells cells={joinCells(cells, CELLS_PER_HOUR)} label="Last 24 hours" size="hours" zone={zone} />
      ),
    },
    { id: "requests", header: "Requests", align: "right", priority: 1, cell: ({ requests }) => formatCount(requests) },
    {
      id: "success",
      header: "Success",
      align: "right",
      cell: ({ successRate }) => (successRate === null ? <Nothing /> : formatShare(successRate, 2)),
    },
    {
      id: "p50",
      header: "Median",
      align: "right",
      priority: 4,
      cell: ({ p50LatencyMs }) => shownDuration(p50LatencyMs),
    },
    { id: "p95", header: "p95", align: "right", priority: 2, cell: ({ p95LatencyMs }) => shownDuration(p95LatencyMs) },
    {
      id: "error",
      header: "Last error",
      priority: 3,
      cell: ({ lastError }) =>
        lastError === null ? (
          <span className="text-muted">None</span>
        ) : (
          <span className="flex items-baseline gap-2">
            <span className="max-w-44 truncate font-mono text-meta" title={lastError.errorCode ?? ""}>
              {lastError.httpStatus} {lastError.errorCode}
            </span>
            <span className="text-meta text-muted">
              <Time at={lastError.at} form="relative" />
            </span>
          </span>
        ),
    },
    ...(isAdministrator
      ? [
          {
            id: "test",
            header: <span className="sr-only">Actions</span>,
            align: "right" as const,
            cell: (row: Deployment) => <TestButton row={row} />,
          },
        ]
      : []),
  ];
}

function Status({ row: { status, cooldownUntil } }: { readonly row: Deployment }) {
  return (
    <HealthDot health={status}>
      {cooldownUntil !== null && (
        <>
          {" "}
          until <Time at={cooldownUntil} form="second" />
        </>
      )}
    </HealthDot>
  );
}

/** Sends a one-token request that isn't billed. */
function TestButton({ row: { deploymentId } }: { readonly row: Deployment }) {
  const toast = useToast();
  const test = useChange("testDeployment", {
    invalidates: ["getDeploymentHealth"],
    onDone: ({ ok, message, latencyMs }) =>
      ok ? toast.done(`Responded in ${formatDuration(latencyMs)}`) : toast.failed(new Error(message), "The test"),
  });
  if (deploymentId === null) return null;
  return (
    <Button size="sm" busy={test.isPending} onClick={() => test.mutate({ params: { id: deploymentId } })}>
      Test now
    </Button>
  );
}

/** Finds groups that have several deployments with the same provider, which differ only by ID. */
function findVersions(deployments: readonly Deployment[]): ReadonlySet<string> {
  const names = deployments.map(({ group, provider }) => `${group} ${provider}`);
  return new Set(names.filter((name, index) => names.indexOf(name) !== index));
}

/** Shortens a generated ID. Configured IDs are already short. */
function shortId(id: string): string {
  return id.length > 32 ? id.slice(0, 8) : id;
}

function shownDuration(ms: number | null) {
  return ms === null ? <Nothing /> : formatDuration(ms);
}

const Nothing = () => <span className="text-faint">–</span>;

function durationOf(ms: number | null): string {
  return ms === null ? "None" : formatDuration(ms);
}
