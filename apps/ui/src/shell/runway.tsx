import { useCall } from "../api/queries.ts";
import { RunwayMeter } from "../components/runway-meter.tsx";

const EVERY_MS = 30_000;

/** Runway meter, visible on every page, with a link to the page where credits are bought. */
export function Runway({ form }: { readonly form: "sidebar" | "bar" }) {
  const { data } = useCall("getBurnRate", {}, { refetchMs: EVERY_MS, staleMs: EVERY_MS });
  // Reserve the height before data is loaded, to prevent layout shift.
  return (
    <div className={form === "sidebar" ? "min-h-[84px]" : "min-w-0 flex-1"}>
      {data !== undefined && <RunwayMeter burn={data.burn} size={form} />}
    </div>
  );
}
