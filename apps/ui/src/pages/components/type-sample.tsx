import type { ReactNode } from "react";
import { Money } from "../../components/money.tsx";
import { Panel } from "../../components/panel.tsx";

/** The six text sizes and their uses. */
export function TypeSample() {
  return (
    <Panel title="Type">
      <div className="grid gap-[10px]">
        <Line note="28/34, 600, headline figure">
          <span className="text-figure font-semibold tracking-[-0.01em]">$214.37</span>
        </Line>
        <Line note="20/28, 600">
          <span className="text-title font-semibold">Page title</span>
        </Line>
        <Line note="16/24, 600">
          <span className="text-section font-semibold">Dialog and panel title</span>
        </Line>
        <Line note="14/22, 600 and 400">
          <span className="text-body font-semibold">Section title</span> <span className="text-body">Body text</span>
        </Line>
        <Line note="13/20, monospace for IDs and exact amounts">
          <span className="text-table">Table text 12,345</span>{" "}
          <span className="font-mono text-table">req_01K9W3ZN8H4X</span> <Money nano={214_371_826_400n} form="exact" />
        </Line>
        <Line note="12/16, 400 and 500">
          <span className="text-meta">Meta, labels, axis</span>
        </Line>
      </div>
    </Panel>
  );
}

function Line(props: { readonly note: string; readonly children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-baseline gap-x-3">
      {props.children}
      <span className="text-meta text-muted">{props.note}</span>
    </div>
  );
}
