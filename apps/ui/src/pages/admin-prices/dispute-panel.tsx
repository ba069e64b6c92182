import { useState } from "react";
import { useChange } from "../../api/queries.ts";
import { Button } from "../../components/button.tsx";
import { DetailPanel } from "../../components/detail-panel.tsx";
import { Segmented } from "../../components/segmented.tsx";
import type { Catalog, Dispute } from "./catalog-prices.ts";
import { formatRate } from "./format-rate.ts";

type Choice = "higher" | "first" | "second";

interface DisputePanelProps {
  readonly dispute: Dispute;
  readonly catalog: Catalog;
  readonly onClose: () => void;
}

/** The amounts of both sources for one model, and the decision between them. */
export function DisputePanel({ dispute, catalog, onClose }: DisputePanelProps) {
  const [choice, setChoice] = useState<Choice>("higher");
  const confirm = useChange("confirmCatalogPrice", {
    invalidates: ["getCatalogPrices", "listDeployments"],
    done: `Price of ${dispute.model} confirmed`,
    onDone: onClose,
  });
  const [first = "First source", second = "Second source"] = catalog.sources.map(({ name }) => shortNameOf(name));
  return (
    <DetailPanel title={dispute.model} subtitle={`Edition ${catalog.edition}`} onClose={onClose}>
      <div className="grid gap-5 p-5">
        <div className="overflow-x-auto">
          <table aria-label="Amounts by source" className="w-full text-table">
            <thead>
              <tr className="border-b border-border text-left text-meta text-muted">
                <th className="py-1.5 pr-3 font-medium">Price</th>
                <th className="py-1.5 pr-3 text-right font-medium">{first}</th>
                <th className="py-1.5 pr-3 text-right font-medium">{second}</th>
                <th className="py-1.5 text-right font-medium">Applies</th>
              </tr>
            </thead>
            <tbody>
              {dispute.prices.map((price) => (
                <tr key={price.field} className="border-b border-hairline last:border-0">
                  <th scope="row" className="py-1.5 pr-3 text-left font-mono font-normal">
                    {price.field}
                  </th>
                  <td className="py-1.5 pr-3 text-right whitespace-nowrap tabular-nums">
                    {formatRate(price.field, price.first)}
                  </td>
                  <td className="py-1.5 pr-3 text-right whitespace-nowrap tabular-nums">
                    {formatRate(price.field, price.second)}
                  </td>
                  <td className="py-1.5 text-right font-medium whitespace-nowrap tabular-nums">
                    {formatRate(price.field, price.applied)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        <div className="grid justify-items-start gap-3">
          <Segmented
            label="Amounts to use"
            value={choice}
            onValue={setChoice}
            options={[
              { value: "higher", label: "Higher" },
              { value: "first", label: first },
              { value: "second", label: second },
            ]}
          />
          <p className="text-meta text-muted">
            Applies to new requests. If a later edition changes one of these amounts, the price is disputed again.
          </p>
          <Button
            variant="primary"
            busy={confirm.isPending}
            onClick={() => confirm.mutate({ body: { model: dispute.model, choice } })}
          >
            Confirm price
          </Button>
        </div>
      </div>
    </DetailPanel>
  );
}

/** Returns a source's name without the file in it, such as `LiteLLM 1.99.0`. */
function shortNameOf(name: string): string {
  return name.split(",")[0] as string;
}
