import { Button, ButtonLink } from "../../components/button.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { clearedFilters, describeFilter, type Filter, isFilterSet } from "../../components/filter.ts";
import { NoMatches } from "../../components/no-matches.tsx";
import { Panel } from "../../components/panel.tsx";
import type { FilterNames, FilterState } from "./usage-controls.tsx";

interface NoUsageProps {
  readonly filters: readonly Filter<FilterNames>[];
  readonly values: FilterState;
  readonly rangeLabel: string;
  /** True if only the user's teams are included. */
  readonly isOwnTeams: boolean;
  readonly onChange: (change: Partial<FilterState & { readonly range: string }>) => void;
}

const LONGEST = "90d";

/** Shown instead of the charts if there is no usage: no matches, or no requests yet. */
export function NoUsage({ filters, values, rangeLabel, isOwnTeams, onChange }: NoUsageProps) {
  const set = filters.filter((filter) => isFilterSet(values, filter));
  return (
    <Panel flush>
      {set.length > 0 ? (
        <NoMatches
          what="requests"
          filters={set.map((filter) => ({
            label: `${filter.label} ${describeFilter(values, filter)}`,
            onRemove: () => onChange(clearedFilters(values, [filter])),
          }))}
          onClear={() => onChange(clearedFilters(values, set))}
        />
      ) : (
        <EmptyState
          title={`No requests ${isOwnTeams ? "by your teams " : ""}in ${timeWords(rangeLabel)}`}
          action={
            <>
              <ButtonLink to="/playground" variant="primary">
                Send a request
              </ButtonLink>
              <Button onClick={() => onChange({ range: LONGEST })}>Show the last 90 days</Button>
            </>
          }
        >
          Spend, tokens, latency, and errors appear here within a minute of each request.
        </EmptyState>
      )}
    </Panel>
  );
}

const timeWords = (rangeLabel: string): string =>
  rangeLabel.startsWith("Last ") ? `the ${rangeLabel.toLowerCase()}` : "this period";
