import { ListFilter } from "lucide-react";
import { useMemo, useState } from "react";
import type { HubModel } from "../../api/hub-model.ts";
import { useCall } from "../../api/queries.ts";
import { Button, ButtonLink } from "../../components/button.tsx";
import { CopyButton } from "../../components/copy-button.tsx";
import { DetailPanel } from "../../components/detail-panel.tsx";
import { EmptyState } from "../../components/empty-state.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { NoMatches } from "../../components/no-matches.tsx";
import { Page } from "../../components/page.tsx";
import { Panel } from "../../components/panel.tsx";
import { SearchBox } from "../../components/search-box.tsx";
import { Segmented } from "../../components/segmented.tsx";
import { Select } from "../../components/select.tsx";
import { Sheet } from "../../components/sheet.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { useToast } from "../../components/toast.tsx";
import { COMPACT, useMedia } from "../../components/use-media.ts";
import { plural } from "../../format/plural.ts";
import { useSearchState } from "../../router-search.ts";
import { useIsSignedIn } from "../../shell/frame.tsx";
import { activeFilters, noFilters } from "./active-filters.ts";
import { ComparePanel, MAX_COMPARED } from "./compare-panel.tsx";
import { filterHub, type HubQuery, withoutSimulated } from "./filter-hub.ts";
import { HubCards } from "./hub-cards.tsx";
import { HubFilters } from "./hub-filters.tsx";
import { HubTable } from "./hub-table.tsx";
import { ModelActions } from "./model-actions.tsx";
import { ModelDetail } from "./model-detail.tsx";
import type { PriceUnit } from "./price-unit.ts";
import { useAverageRequest } from "./use-average-request.ts";

const initial = {
  ...noFilters,
  sort: "used",
  view: "table",
  unit: "1m",
  open: "",
  compare: "",
  workload: "",
} as const;

const sorts = [
  { value: "used", label: "Most used" },
  { value: "name", label: "Name" },
  { value: "in", label: "Input price" },
  { value: "out", label: "Output price" },
  { value: "-context", label: "Context window" },
  { value: "speed", label: "Speed" },
  { value: "-newest", label: "Newest" },
];

/** All models on this server, with search, filters, and comparison. Public if the settings allow it. */
export function ModelsPage() {
  const hub = useCall("listHubModels", {}, { staleMs: 60_000 });
  const models = hub.data?.models;
  const mine = models?.filter(({ available }) => available === true).length ?? 0;
  const isSignedIn = useIsSignedIn();
  const [state, set] = useSearchState(initial);
  return (
    <Page
      title="Models"
      wide
      note={models && `${plural(models.length, "model")}${isSignedIn ? `, ${mine} available to your keys` : ""}`}
      action={
        <>
          <Segmented
            label="View"
            value={state.view}
            options={[
              { value: "table", label: "Table" },
              { value: "cards", label: "Cards" },
            ]}
            onValue={(view) => set({ view })}
          />
          <CopyButton text={window.location.href} label="Copy link" variant="secondary" size="md" />
        </>
      }
    >
      <Loaded query={hub} what="The model hub" skeleton={<Skeleton lines={12} />}>
        {({ models: all }) =>
          all.length === 0 ? (
            <EmptyState
              title="No models yet"
              action={isSignedIn && <ButtonLink to="/admin/deployments">Go to Deployments</ButtonLink>}
            >
              An administrator can add models under Deployments or in the settings file.
            </EmptyState>
          ) : (
            <Hub models={all} isSignedIn={isSignedIn} />
          )
        }
      </Loaded>
    </Page>
  );
}

function Hub({ models, isSignedIn }: { readonly models: readonly HubModel[]; readonly isSignedIn: boolean }) {
  const [state, set] = useSearchState(initial);
  const toast = useToast();
  const [hasFilters, setFilters] = useState(false);
  // If a model is open, use the compact layout, because the list needs the space that the filters take.
  const isCompact = useMedia(COMPACT) || state.open !== "";
  const compared = state.compare === "" ? [] : state.compare.split(",");
  const comparedModels = compared.flatMap((id) => models.find((model) => model.id === id) ?? []);
  const average = useAverageRequest(isSignedIn && (state.unit === "request" || compared.length > 0));
  const query: HubQuery = state;
  const listed = useMemo(() => withoutSimulated(models, query), [models, query]);
  const found = useMemo(() => filterHub(listed, query), [listed, query]);
  const change = (values: Partial<HubQuery>) => set(values, { replace: true });
  const compare = (ids: readonly string[]) => {
    if (ids.length > MAX_COMPARED) toast.done(`You can compare up to ${MAX_COMPARED} models`);
    set({ compare: ids.slice(0, MAX_COMPARED).join(",") });
  };
  const filters = <HubFilters models={listed} query={query} onChange={change} isSignedIn={isSignedIn} />;
  const list = {
    models: found,
    unit: state.unit as PriceUnit,
    size: average.size,
    sort: state.sort,
    onSort: (sort: string) => set({ sort }),
    openId: state.open,
    onOpen: ({ id }: HubModel) => set({ open: id }),
    compared,
    onCompare: compare,
    empty: <NoMatches what="models" filters={activeFilters(state, change)} onClear={() => set(noFilters)} />,
  };
  return (
    <>
      <search className="flex flex-wrap items-center gap-2">
        <SearchBox
          placeholder="Name, provider, or capability"
          value={state.search}
          onChange={(search) => change({ search })}
        />
        <div className="w-44 max-sm:grow">
          <Select
            label="Sort"
            value={sorts.some(({ value }) => value === state.sort) ? state.sort : null}
            placeholder="By column"
            options={sorts}
            search={false}
            className="sm:h-[30px]! border-outline-soft! sm:text-table!"
            onValue={(sort) => set({ sort })}
          />
        </div>
        {isCompact && (
          <Button icon={<ListFilter size={16} strokeWidth={1.5} />} onClick={() => setFilters(true)}>
            Filters
          </Button>
        )}
        <div className="ml-auto flex min-w-0 items-center gap-2 text-meta text-muted max-sm:ml-0">
          <span className="max-sm:sr-only">Price per</span>
          <Segmented
            label="Price per"
            value={state.unit}
            options={[
              { value: "1m", label: "1M tokens" },
              { value: "1k", label: "1K tokens" },
              ...(isSignedIn ? [{ value: "request", label: "My average request" }] : []),
            ]}
            onValue={(unit) => set({ unit })}
          />
        </div>
      </search>
      <div className="grid grid-cols-[minmax(0,1fr)] items-start gap-5 [&:has(aside)]:grid-cols-[176px_minmax(0,1fr)]">
        {!isCompact && (
          <aside aria-label="Filters" className="sticky top-4">
            {filters}
          </aside>
        )}
        <div className="grid min-w-0 gap-3">
          <p role="status" className="sr-only">{`${plural(found.length, "model")} shown`}</p>
          {state.unit === "request" && average.size === null && (
            <p className="text-meta text-muted">No requests in the last 14 days to average.</p>
          )}
          {state.view === "cards" ? (
            <HubCards {...list} />
          ) : (
            <Panel flush className={TIGHT}>
              <HubTable {...list} />
            </Panel>
          )}
          {listed.length < models.length && (
            <p className="flex items-center gap-2 text-meta text-muted">
              {plural(models.length - listed.length, "simulated model")} not shown
              <Button size="sm" variant="ghost" onClick={() => change({ simulated: "true" })}>
                Show
              </Button>
            </p>
          )}
        </div>
      </div>
      <Sheet
        title="Filters"
        open={isCompact && hasFilters}
        onClose={() => setFilters(false)}
        footer={
          <>
            <Button onClick={() => set(noFilters)}>Clear all</Button>
            <Button variant="primary" className="grow" onClick={() => setFilters(false)}>
              Show {plural(found.length, "model")}
            </Button>
          </>
        }
      >
        {filters}
      </Sheet>
      <OpenModel models={found} all={models} id={state.open} isSignedIn={isSignedIn} onOpen={(open) => set({ open })} />
      {comparedModels.length > 0 && (
        <ComparePanel
          models={comparedModels}
          all={models}
          workload={state.workload}
          average={average.workload}
          isSignedIn={isSignedIn}
          onWorkload={(workload) => set({ workload }, { replace: true })}
          onChange={compare}
        />
      )}
    </>
  );
}

/** Reduced cell padding, to fit a dozen columns of numbers. */
const TIGHT = "[&_:is(td,th):not(:first-child):not(:last-child)]:px-[7px]";

interface OpenModelProps {
  readonly models: readonly HubModel[];
  readonly all: readonly HubModel[];
  readonly id: string;
  readonly isSignedIn: boolean;
  readonly onOpen: (id: string) => void;
}

function OpenModel({ models, all, id, isSignedIn, onOpen }: OpenModelProps) {
  const model = all.find((each) => each.id === id);
  if (model === undefined) return null;
  const at = models.indexOf(model);
  const step = (by: number) => {
    const next = models[at + by];
    return at === -1 || next === undefined ? undefined : () => onOpen(next.id);
  };
  return (
    <DetailPanel
      title={model.id}
      onClose={() => onOpen("")}
      onPrevious={step(-1)}
      onNext={step(1)}
      footer={<ModelActions model={model} isSignedIn={isSignedIn} isPage={false} />}
    >
      <ModelDetail model={model} isSignedIn={isSignedIn} />
    </DetailPanel>
  );
}
