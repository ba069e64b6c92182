import { Clock, SlidersHorizontal, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { classes } from "../../components/classes.ts";
import { plural } from "../../format/plural.ts";
import { type Deployment, hasWarning } from "./filter-deployments.ts";

interface PriceWarningsProps {
  readonly deployments: readonly Deployment[];
  readonly shown: string;
  readonly onShow: (warning: string) => void;
}

/** Warnings about missing, outdated, or overridden prices. Renders nothing if there are no warnings. */
export function PriceWarnings({ deployments, shown, onShow }: PriceWarningsProps) {
  const of = (warning: string) => deployments.filter((each) => hasWarning(each, warning));
  const [unpriced, stale, overridden] = [of("unpriced"), of("stale"), of("overridden")];
  if (unpriced.length + stale.length + overridden.length === 0) return null;
  const isShown = (warning: string) => shown === warning;
  const toggle = (warning: string) => onShow(isShown(warning) ? "" : warning);
  return (
    <div className="grid grid-cols-[repeat(auto-fit,minmax(240px,1fr))] gap-4 max-sm:gap-2">
      {unpriced.length > 0 && (
        <Warning
          icon={<TriangleAlert size={16} strokeWidth={1.5} />}
          isUrgent
          title={`${formatNumber(unpriced.length)} unpriced`}
          action={isShown("unpriced") ? "Show all" : "Set price"}
          onAct={() => toggle("unpriced")}
        >
          Requests to {namesOf(unpriced)} are refused until you set a price.
        </Warning>
      )}
      {stale.length > 0 && (
        <Warning
          icon={<Clock size={16} strokeWidth={1.5} />}
          title={plural(stale.length, "stale price")}
          action={isShown("stale") ? "Show all" : "Review"}
          onAct={() => toggle("stale")}
        >
          The catalog’s prices are older than prices.maxAgeDays allows. Provider prices may have changed.
        </Warning>
      )}
      {overridden.length > 0 && (
        <Warning
          icon={<SlidersHorizontal size={16} strokeWidth={1.5} />}
          title={`${formatNumber(overridden.length)} overridden`}
          action={isShown("overridden") ? "Show all" : "Compare"}
          onAct={() => toggle("overridden")}
        >
          Custom prices: {namesOf(overridden)}.
        </Warning>
      )}
    </div>
  );
}

interface WarningProps {
  readonly icon: ReactNode;
  readonly isUrgent?: boolean;
  readonly title: string;
  readonly action: string;
  readonly onAct: () => void;
  readonly children: ReactNode;
}

function Warning({ icon, isUrgent = false, title, action, onAct, children }: WarningProps) {
  return (
    <section
      className={classes(
        "flex gap-3 rounded-panel border px-3 py-2.5 text-table",
        isUrgent ? "border-warning-line bg-warning-soft" : "border-border bg-sunken",
      )}
    >
      <span aria-hidden className={classes("mt-0.5 flex-none", isUrgent && "text-warning")}>
        {icon}
      </span>
      <div className="min-w-0">
        <h2 className="font-semibold">{title}</h2>
        <p className={isUrgent ? undefined : "text-muted"}>
          {children}{" "}
          <button type="button" onClick={onAct} className="font-medium text-accent hover:underline">
            {action}
          </button>
        </p>
      </div>
    </section>
  );
}

function namesOf(deployments: readonly Deployment[]): string {
  const groups = [...new Set(deployments.map(({ group }) => group))];
  const [first = "", second] = groups;
  if (second === undefined) return first;
  return groups.length === 2 ? `${first} and ${second}` : `${first} and ${groups.length - 1} more`;
}

const formatNumber = (count: number): string => count.toLocaleString("en-US");
