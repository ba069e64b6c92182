import type { HealthState } from "@tollgate/domain/figures/deployment-health.ts";
import { formatCount } from "@tollgate/domain/figures/size-text.ts";
import { DiagramArrow, DiagramBox, DiagramNote } from "./diagram-parts.tsx";
import { healthLabels } from "./health-dot.tsx";
import { type Box, type FallbackBox, layOutRouting, MAX_BOXES, type RoutingLayout } from "./routing-layout.ts";
import { type RoutedDeployment, type RoutedGroup, routingSummary } from "./routing-summary.ts";

/** Data to show for a deployment in addition to its routing rules. */
export interface DeploymentNote {
  readonly text?: string | null;
  readonly calls?: number | null;
  /** For example, "Cooling 48 s". */
  readonly state?: string | null;
}

interface RoutingDiagramProps {
  readonly group: RoutedGroup;
  /** Notes by deployment ID. */
  readonly notes?: ReadonlyMap<string, DeploymentNote>;
  /** Shows only the text version. */
  readonly isText?: boolean;
}

/** Diagram of how requests to a group are routed, from left to right, with the same rules as text. */
export function RoutingDiagram({ group, notes = new Map(), isText = false }: RoutingDiagramProps) {
  const summary = routingSummary(group);
  const summaryFits = fitsSummary(layOutRouting(group), summary.length);
  return (
    <figure className="relative">
      {!isText && (
        <section
          className="relative overflow-x-auto"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
          tabIndex={0}
          aria-label={`Routing diagram for ${group.name}`}
        >
          <Drawing group={group} notes={notes} label={summary.join(" ")} />
        </section>
      )}
      <figcaption
        className={isText ? "" : summaryFits ? "mt-4 xl:absolute xl:bottom-2 xl:left-0 xl:w-[460px]" : "mt-4"}
      >
        <h3 className="text-table font-semibold">Summary</h3>
        <ol className="mt-1 list-decimal pl-5 text-table/6 text-muted">
          {summary.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ol>
      </figcaption>
    </figure>
  );
}

const LINE_HEIGHT = 24;

/** Reports whether the text fits into the free corner under the request and its checks. */
function fitsSummary({ height, call }: RoutingLayout, lines: number): boolean {
  return height - (call.y + call.height) > (lines + 3) * LINE_HEIGHT;
}

interface DrawingProps {
  readonly group: RoutedGroup;
  readonly notes: ReadonlyMap<string, DeploymentNote>;
  readonly label: string;
}

function Drawing({ group, notes, label }: DrawingProps) {
  const layout = layOutRouting(group);
  const { call, checks, group: box, answer, otherAnswer, deployments, fallbacks } = layout;
  const retries = `${group.retries} ${group.retries === 1 ? "retry" : "retries"}`;
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`-1 0 ${layout.width + 2} ${layout.height}`}
      className="block w-full max-w-[1128px] min-w-[960px] text-meta forced-color-adjust-none"
    >
      <Headings layout={layout} />
      <DiagramArrow from={call} to={checks} />
      <DiagramArrow from={checks} to={box} width={2} />
      {deployments.map((each) => (
        <Flow key={each.deployment.id} group={box} deployment={each} answer={answer} share={each.share} />
      ))}
      <FallbackLines group={box} fallbacks={fallbacks} answer={otherAnswer} />
      <DiagramBox box={call} title="Request" note={group.name} />
      <DiagramBox box={checks} title="Key and limits" note="hold max cost" />
      <DiagramBox
        box={box}
        title={group.name}
        note={group.strategy}
        third={`${retries}, ${group.cooldownSeconds} s cooldown`}
        isStrong
      />
      {deployments.map((each) => (
        <Deployment key={each.deployment.id} box={each} of={each.deployment} note={notes.get(each.deployment.id)} />
      ))}
      {group.deployments.length > MAX_BOXES && (
        <DiagramNote x={680} y={layout.height - 4} text={`and ${group.deployments.length - MAX_BOXES} more`} />
      )}
      <DiagramBox box={answer} title="Response" note={`within ${group.timeoutSeconds} s`} />
      {fallbacks.map((each) => (
        <DiagramBox
          key={`${each.kind}${each.place}`}
          box={each}
          title={each.model}
          note={`${kindWords[each.kind]} fallback${each.place > 1 ? ` ${each.place}` : ""}`}
          isDashed
        />
      ))}
      {otherAnswer !== null && (
        <DiagramBox box={otherAnswer} title="Fallback response" note="billed at its own price" isDashed />
      )}
    </svg>
  );
}

const kindWords: Readonly<Record<FallbackBox["kind"], string>> = {
  general: "general",
  context: "context",
  policy: "policy",
};

const reasons: Readonly<Record<FallbackBox["kind"], string>> = {
  general: "all deployments failed",
  context: "context window exceeded",
  policy: "content policy",
};

function Headings({ layout }: { readonly layout: RoutingLayout }) {
  const names = ["Request", "Checks", "Group and strategy", "Deployments", "Response"];
  const places = [layout.call.x, layout.checks.x, layout.group.x, 680, layout.answer.x];
  return names.map((name, index) => <DiagramNote key={name} x={places[index] ?? 0} y={14} text={name} />);
}

interface FlowProps {
  readonly group: Box;
  readonly deployment: Box;
  readonly answer: Box;
  readonly share: number | null;
}

/** Lines to and from a deployment. The line width shows the deployment's share of requests. */
function Flow({ group, deployment, answer, share }: FlowProps) {
  const width = share === null ? 2 : 1.25 + share * 3;
  const isLater = share === 0;
  // Place the label above a rising line and below a falling line.
  const beside = center(deployment) + (center(deployment) > center(group) ? 16 : -8);
  return (
    <>
      <DiagramArrow from={group} to={deployment} width={width} isMain={!isLater} isDashed={isLater} />
      <DiagramArrow from={deployment} to={answer} width={width} isMain={!isLater} isDashed={isLater} />
      {share !== null && share > 0 && share < 1 && (
        <DiagramNote x={deployment.x - 22} y={beside} text={String(Math.round(share * 100))} isCentered />
      )}
    </>
  );
}

interface FallbackLinesProps {
  readonly group: Box;
  readonly fallbacks: readonly FallbackBox[];
  readonly answer: Box | null;
}

/** Dashed lines to fallbacks, which are used only after an earlier failure. */
function FallbackLines({ group, fallbacks, answer }: FallbackLinesProps) {
  const stem = group.x + group.width / 2;
  const bottom = group.y + group.height;
  const lines = fallbacks.map((each) => (
    <g key={`${each.kind}${each.place}`} className="fill-none stroke-outline" strokeDasharray="4 3" strokeWidth={1.25}>
      <path
        d={`M${stem} ${bottom}V${center(each) - 6}Q${stem} ${center(each)} ${stem + 6} ${center(each)}H${each.x - 1}`}
      />
      <path d={`M${each.x - 6} ${center(each) - 4}l5 4l-5 4`} strokeDasharray="none" />
      {answer !== null && <path d={`M${each.x + each.width} ${center(each)}H908V${center(answer)}`} />}
      <DiagramNote x={stem + 12} y={center(each) - 8} text={each.place > 1 ? "then" : reasons[each.kind]} />
    </g>
  ));
  return (
    <>
      {lines}
      {answer !== null && (
        <g className="fill-none stroke-outline" strokeWidth={1.25}>
          <path d={`M908 ${center(answer)}H${answer.x - 1}`} strokeDasharray="4 3" />
          <path d={`M${answer.x - 6} ${center(answer) - 4}l5 4l-5 4`} />
        </g>
      )}
    </>
  );
}

interface DeploymentProps {
  readonly box: Box;
  readonly of: RoutedDeployment;
  readonly note: DeploymentNote | undefined;
}

const bars: Readonly<Record<HealthState, string>> = {
  healthy: "fill-success",
  degraded: "fill-warning",
  cooling: "fill-warning",
  down: "fill-danger",
  unknown: "fill-axis",
};

const cornerTones: Readonly<Record<HealthState, string>> = {
  healthy: "fill-muted",
  degraded: "fill-warning",
  cooling: "fill-warning",
  down: "fill-danger",
  unknown: "fill-muted",
};

function Deployment({ box, of, note }: DeploymentProps) {
  const calls = note?.calls ?? null;
  return (
    <DiagramBox
      box={box}
      title={of.provider}
      note={note?.text ?? of.model}
      bar={bars[of.health]}
      corner={note?.state ?? cornerOf(of)}
      cornerTone={cornerTones[of.health]}
      foot={calls === null ? null : `${formatCount(calls)} ${calls === 1 ? "request" : "requests"}`}
    />
  );
}

/** Returns what is unusual about a deployment: that it gets no requests, or else its health. */
function cornerOf({ status, health }: RoutedDeployment): string | null {
  if (status === "disabled" || status === "unusable") return status;
  return health === "healthy" || health === "unknown" ? null : healthLabels[health];
}

const center = (box: Box): number => box.y + box.height / 2;
