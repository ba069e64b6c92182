import { Link } from "@tanstack/react-router";
import type { Operations } from "@tollgate/sdk/platform";
import { Badge } from "../../components/badge.tsx";
import { Panel } from "../../components/panel.tsx";

type Alias = Operations["getRouting"]["answer"]["aliases"][number];

/** Aliases of model groups. Renders nothing if there are no aliases. */
export function AliasPanel({ aliases }: { readonly aliases: readonly Alias[] }) {
  if (aliases.length === 0) return null;
  return (
    <Panel title="Aliases" note="alternative names for model groups" flush>
      <ul className="text-table">
        {aliases.map(({ name, model, hidden }) => (
          <li key={name} className="flex items-center gap-2 border-b border-hairline px-4 py-2 last:border-0">
            <span className="truncate font-mono text-meta">{name}</span>
            <span aria-hidden>→</span>
            <span className="sr-only">alias for</span>
            <Link
              to="/admin/routing"
              search={{ group: model }}
              className="truncate font-medium text-accent hover:underline"
            >
              {model}
            </Link>
            {hidden && <Badge>hidden from lists</Badge>}
          </li>
        ))}
      </ul>
    </Panel>
  );
}
