import { parseUsd } from "@tollgate/sdk/platform";
import { Field } from "../../components/field.tsx";
import { MoneyInput } from "../../components/inputs.tsx";
import { Notice } from "../../components/notice.tsx";
import { RadioGroup } from "../../components/radio-group.tsx";
import {
  type ChangeDraft,
  type DeploymentDraft,
  type PriceName,
  type Pricing,
  pricesOf,
  pricesOfType,
} from "./deployment-draft.ts";
import { describePricing } from "./deployment-marks.tsx";
import { FormSection } from "./form-section.tsx";

interface PriceSectionProps {
  readonly draft: DeploymentDraft;
  readonly change: ChangeDraft;
  /** Catalog price of this model; null if the catalog doesn't list it. */
  readonly known: Pricing | null;
  /** Current price; null for new or unpriced models. */
  readonly current: Pricing | null;
  readonly pricesAsOf: string | null;
}

const labels: Readonly<Record<PriceName, string>> = {
  inputPerMillionTokens: "Input per 1M tokens",
  outputPerMillionTokens: "Output per 1M tokens",
  cachedInputPerMillionTokens: "Cached input per 1M tokens",
  perImage: "Per image",
  perAudioSecond: "Per second of audio",
  perMillionCharacters: "Per 1M characters",
};

/** Form section for the deployment's price: from the catalog, or custom. */
export function PriceSection({ draft, change, known, current, pricesAsOf }: PriceSectionProps) {
  const choose = (priceFrom: DeploymentDraft["priceFrom"]) => {
    const isBlank = Object.values(draft.prices).every((price) => price === "");
    const prices = priceFrom === "custom" && isBlank && known !== null ? pricesOf(known) : draft.prices;
    change({ priceFrom, prices });
  };
  const fields = (
    <div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
      {pricesOfType(draft.type).map((name) => (
        <Field
          key={name}
          label={labels[name]}
          optional={name === "cachedInputPerMillionTokens"}
          error={
            draft.prices[name] !== "" && parseUsd(draft.prices[name]) === null
              ? "Enter an amount in dollars, such as 1.25"
              : undefined
          }
        >
          <MoneyInput
            value={draft.prices[name]}
            onValue={(value) => change({ prices: { ...draft.prices, [name]: value } })}
          />
        </Field>
      ))}
    </div>
  );
  const unknown = draft.model === "" ? "choose a model first" : "not in the catalog";
  return (
    <FormSection step={4} title="Prices" note="changes apply to new requests only">
      <RadioGroup
        label="Price"
        value={draft.priceFrom}
        onValue={choose}
        options={[
          ...(current === null
            ? []
            : [{ value: "current" as const, label: "Current price", note: describePricing(current) }]),
          {
            value: "catalog",
            label: `Catalog price${pricesAsOf === null ? "" : `, as of ${pricesAsOf}`}`,
            note: known === null ? unknown : describePricing(known),
          },
          { value: "custom", label: "Custom price", children: fields },
        ]}
      />
      {draft.priceFrom === "catalog" && known === null && draft.model !== "" && (
        <Notice tone="warning">
          The catalog has no price for {draft.model}. Requests to it are refused until you set one.
        </Notice>
      )}
    </FormSection>
  );
}
