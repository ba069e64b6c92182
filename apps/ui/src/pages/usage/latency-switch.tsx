import { Segmented } from "../../components/segmented.tsx";

export type LatencyView = "total" | "first";

interface LatencySwitchProps {
  readonly view: LatencyView;
  readonly onView: (view: LatencyView) => void;
}

/** Switches between time to first token and total latency. */
export function LatencySwitch({ view, onView }: LatencySwitchProps) {
  return (
    <Segmented
      label="Latency metric"
      value={view}
      options={[
        { value: "first", label: "First token" },
        { value: "total", label: "Total" },
      ]}
      onValue={onView}
    />
  );
}
