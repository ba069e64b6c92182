import { Figures } from "../../components/figure-row.tsx";

/** Samples of key figures with changes from the previous period. */
export function FigureSample() {
  return (
    <Figures
      items={[
        { label: "Spend", value: "$238.31", change: 0.084, note: "from $219.80" },
        { label: "Requests", value: "221,306", change: -0.012 },
        { label: "Success rate", value: "99.66%", change: 0 },
        { label: "Median time to first token", value: "412 ms", change: null },
      ]}
    />
  );
}
