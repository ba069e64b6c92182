import { useMe } from "../../api/me.ts";
import { useCall } from "../../api/queries.ts";
import { FilterBar } from "../../components/filter-bar.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { NotAllowed } from "../../components/not-allowed.tsx";
import { Page } from "../../components/page.tsx";
import { useSearchState } from "../../router-search.ts";
import { DisputesPanel } from "./disputes-panel.tsx";
import { EditionsPanel } from "./editions-panel.tsx";
import { MarginsPanel } from "./margins-panel.tsx";

/** Prices for administrators: disputed prices to confirm, the gross margin, and the applied catalog editions. */
export function PricesPage() {
  const { isAdministrator } = useMe();
  const [state, set] = useSearchState({ search: "", use: "used", open: "", group: "model" });
  const prices = useCall("getCatalogPrices", {}, { enabled: isAdministrator });
  if (!isAdministrator)
    return (
      <Page title="Prices">
        <NotAllowed what="prices" needs="platform administrator" />
      </Page>
    );
  return (
    <Page
      title="Prices"
      note={
        prices.data === undefined
          ? undefined
          : `Catalog edition ${prices.data.edition}, prices as of ${prices.data.pricesAsOf}`
      }
      wide
      filters={
        <FilterBar
          values={state}
          onChange={set}
          search={{
            placeholder: "Model with a disputed price",
            value: state.search,
            onChange: (search) => set({ search }),
          }}
          filters={[]}
        />
      }
    >
      <Loaded query={prices} what="Prices">
        {(catalog) => (
          <div className="grid gap-4">
            <DisputesPanel
              catalog={catalog}
              search={state.search}
              isUsedOnly={state.use === "used"}
              onUsedOnly={(isUsedOnly) => set({ use: isUsedOnly ? "used" : "all" })}
              open={state.open}
              onOpen={(open) => set({ open })}
              onClear={() => set({ search: "" })}
            />
            <MarginsPanel groupBy={state.group} onGroupBy={(group) => set({ group })} />
            <EditionsPanel catalog={catalog} />
          </div>
        )}
      </Loaded>
    </Page>
  );
}
