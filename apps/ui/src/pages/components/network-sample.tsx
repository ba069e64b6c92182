import { Panel } from "../../components/panel.tsx";
import { type MatrixCell, MatrixLegend, ParticipantMatrix } from "../../components/participant-matrix.tsx";
import { RoutingDiagram } from "../../components/routing-diagram.tsx";
import type { RoutedGroup } from "../../components/routing-summary.ts";

const group: RoutedGroup = {
  name: "claude-sonnet-4-5",
  strategy: "simple-shuffle",
  retries: 1,
  cooldownSeconds: 60,
  timeoutSeconds: 60,
  deployments: [
    {
      id: "a",
      provider: "anthropic-direct",
      model: "claude-sonnet-4-5",
      weight: 70,
      order: null,
      status: "cooling",
      health: "cooling",
    },
    {
      id: "b",
      provider: "bedrock-eu-central-1",
      model: "claude-sonnet-4-5",
      weight: 30,
      order: null,
      status: "healthy",
      health: "healthy",
    },
  ],
  fallbacks: ["gpt-5"],
  contextWindowFallbacks: ["gemini-2.5-pro"],
  contentPolicyFallbacks: ["gpt-5"],
};
const notes = new Map([
  ["a", { text: "694 ms first token", calls: 291, state: "Cooldown 48 s" }],
  ["b", { text: "731 ms first token", calls: 135 }],
]);

const ok = (count: number): MatrixCell[] => Array.from({ length: count }, () => ({ state: "ok" }));
const rows = [
  { name: "clinic-north", note: "12,480 rows", cells: ok(18), figure: "0.9284" },
  {
    name: "lab-zurich",
    note: "4,330 rows",
    cells: [
      ...ok(8),
      { state: "slow", detail: "84 s" } as const,
      { state: "failed", detail: "no response within 90 s" } as const,
      { state: "slow", detail: "81 s" } as const,
      ...ok(6),
      { state: "running" } as const,
    ],
    figure: "0.9021",
  },
];

/** Samples of the routing diagram and the participant matrix. */
export function NetworkSample() {
  return (
    <>
      <Panel title="Routing diagram" note="last 24 hours">
        <RoutingDiagram group={group} notes={notes} />
      </Panel>
      <Panel title="Participants by round" actions={<MatrixLegend slow="slow, over 80 s" />}>
        <ParticipantMatrix rows={rows} rounds={24} />
      </Panel>
    </>
  );
}
