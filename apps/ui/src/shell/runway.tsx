import { useCall } from "../api/queries.ts";
import { RunwayMeter } from "../components/runway-meter.tsx";

const EVERY_MS = 30_000;

/** How long the credit lasts, wherever one is. It leads to where more is bought. */
export function Runway({ form }: { readonly form: "sidebar" | "bar" }) {
  const { data } = useCall("getBurn", {}, { refetchMs: EVERY_MS, staleMs: EVERY_MS });
  // The same height before the figures are there, so that nothing jumps.
  return (
    <div className={form === "sidebar" ? "min-h-[84px]" : "min-w-0 flex-1"}>
      {data !== undefined && <RunwayMeter burn={data.burn} size={form} />}
    </div>
  );
}
