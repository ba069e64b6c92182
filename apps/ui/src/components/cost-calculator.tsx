import { type ReactNode, useId } from "react";
import { Field } from "./field.tsx";
import { NumberInput } from "./inputs.tsx";
import type { Workload } from "./monthly-cost.ts";

interface CostCalculatorProps {
  readonly workload: Workload;
  readonly onChange: (workload: Workload) => void;
  /** Additional controls, such as a button that fills in the user's average request. */
  readonly children?: ReactNode;
}

const fields: readonly { readonly name: keyof Workload; readonly label: string; readonly most: number }[] = [
  { name: "inputTokens", label: "Input tokens per request", most: 100_000_000 },
  { name: "outputTokens", label: "Output tokens per request", most: 100_000_000 },
  { name: "cachedPercent", label: "Cached input (%)", most: 100 },
  { name: "requestsPerDay", label: "Requests per day", most: 1_000_000_000 },
];

/** Inputs for the workload by which models are compared. `monthlyCost` computes the cost. */
export function CostCalculator({ workload, onChange, children }: CostCalculatorProps) {
  const headingId = useId();
  const change = (name: keyof Workload, most: number, typed: string) => {
    const digits = typed.replaceAll(/\D/g, "");
    onChange({ ...workload, [name]: Math.min(most, Number(digits.slice(0, 12))) });
  };
  return (
    <section aria-labelledby={headingId} className="grid content-start gap-3">
      <h3 id={headingId} className="text-table font-semibold">
        Cost calculator
      </h3>
      {fields.map(({ name, label, most }) => (
        <Field key={name} label={label}>
          <NumberInput
            value={workload[name].toLocaleString("en-US")}
            pattern="[0-9,]*"
            onChange={(event) => change(name, most, event.currentTarget.value)}
          />
        </Field>
      ))}
      {children}
      <p className="text-meta text-muted">Estimated cost for 30 days at the listed prices, without discounts.</p>
    </section>
  );
}
