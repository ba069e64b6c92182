import { Panel } from "../../components/panel.tsx";

const TOKENS =
  "bg surface raised sunken hover selected border hairline outline outline-soft text muted faint accent accent-soft danger " +
  "danger-soft warning warning-soft success success-soft info info-soft meter meter-track c1 c2 c3 c4 c5 c6 c7 c8 s-gw " +
  "s-queue s-wait s-gen s-fail m-in m-cached m-out m-other";

/** All colors with their names. */
export function TokenSample() {
  return (
    <Panel title="Tokens">
      <ul className="grid grid-cols-[repeat(auto-fill,minmax(130px,1fr))] gap-3">
        {TOKENS.split(" ").map((name) => (
          <li key={name} className="flex items-center gap-2 font-mono text-meta">
            <span
              aria-hidden
              className="size-7 flex-none rounded-control inset-ring inset-ring-border"
              style={{ backgroundColor: `var(--color-${name})` }}
            />
            {name}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
