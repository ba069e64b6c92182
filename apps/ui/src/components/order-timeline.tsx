import { X } from "lucide-react";
import { formatClock, formatTime } from "../format/time.ts";
import { type OrderStep, orderSteps, type StepState, type TimelineEntry } from "./order-steps.ts";
import { useZone } from "./zone.ts";

interface OrderTimelineProps {
  readonly timeline: readonly TimelineEntry[];
  /** Text under the next expected step, such as "usually within 20 s". */
  readonly expectation?: string;
}

/** Progress of an order. Filled: done. Ring: current. Dashed: in progress. Hollow: expected. */
export function OrderTimeline({ timeline, expectation }: OrderTimelineProps) {
  const zone = useZone();
  const steps = orderSteps(timeline);
  const firstExpected = steps.findIndex(({ step }) => step === "expected");
  const day = steps[0]?.at ? formatTime(steps[0].at, "day", zone) : null;
  return (
    <ol className="flex flex-col gap-3 sm:flex-row sm:gap-0" aria-label="Order timeline">
      {steps.map((step, index) => (
        <li
          key={step.state}
          aria-current={step.step === "now" ? "step" : undefined}
          className="relative flex-1 pl-6 text-meta sm:pt-[22px] sm:pr-3 sm:pl-0"
        >
          {index < steps.length - 1 && <Connector state={step.step} />}
          <Dot state={step.step} />
          <p className="text-table font-medium">
            {step.label}
            <span className="sr-only">, {spoken[step.step]}</span>
          </p>
          <p className="wrap-anywhere text-muted">
            {step.at === null
              ? index === firstExpected
                ? (expectation ?? "Expected")
                : ""
              : whenText(step, day, zone)}
          </p>
        </li>
      ))}
    </ol>
  );
}

const spoken: Readonly<Record<StepState, string>> = {
  done: "done",
  now: "current step",
  expected: "expected",
  failed: "failed",
};

/** Shows the date only if it differs from the order date. */
function whenText({ at, reference }: OrderStep, day: string | null, zone: string): string {
  if (at === null) return "";
  const own = formatTime(at, "day", zone);
  const time = own === day ? formatClock(at, zone) : `${own}, ${formatClock(at, zone)}`;
  return reference === null ? time : `${time}, reference ${reference}`;
}

function Connector({ state }: { readonly state: StepState }) {
  if (state === "expected" || state === "failed") return null;
  const line = state === "now" ? "border-outline border-dashed" : "border-meter";
  return (
    <span
      aria-hidden="true"
      className={`absolute top-2 -bottom-4 left-[5px] border-l-2 sm:top-[7px] sm:right-0 sm:bottom-auto sm:left-0 sm:border-t-2 sm:border-l-0 ${line}`}
    />
  );
}

function Dot({ state }: { readonly state: StepState }) {
  const looks: Readonly<Record<StepState, string>> = {
    done: "bg-meter",
    now: "inset-ring-2 inset-ring-meter bg-surface",
    expected: "inset-ring-[1.5px] inset-ring-outline bg-surface",
    failed: "bg-danger text-surface",
  };
  return (
    <span
      aria-hidden="true"
      className={`absolute top-1 left-0 grid size-3 place-items-center rounded-full outline-3 outline-surface forced-color-adjust-none sm:top-0.5 ${looks[state]}`}
    >
      {state === "failed" && <X size={10} strokeWidth={3} />}
    </span>
  );
}
