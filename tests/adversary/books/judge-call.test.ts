import { expect, test } from "vitest";
import type { CallRow } from "./call-rows.ts";
import { type Expectation, judgeCall } from "./judge-call.ts";

const ROW: CallRow = {
  callId: "adv-1-x-1.0",
  cost: 100n,
  loss: 0n,
  lossReasons: null,
  hold: 500n,
  status: "success",
  source: "reported",
  errorCode: null,
};

const judge = (billed: bigint, row: Partial<CallRow>, expects: Expectation) =>
  judgeCall({ nonce: "adv-1-x-1", billed, rows: [{ ...ROW, ...row }], expects });

const EXACT = { kind: "exact" } as const;
const ABORT = { kind: "estimate", tolerance: 0.02 } as const;

test("a charge equal to the bill is correct", () => {
  expect(judge(100n, {}, EXACT)).toMatchObject({ unpaid: 0n, overcharged: 0n, problems: [] });
});

test("a charge below the bill counts as unpaid, and a charge above the bill counts as overcharged", () => {
  expect(judge(130n, {}, EXACT)).toMatchObject({ unpaid: 30n, overcharged: 0n, problems: [expect.any(String)] });
  expect(judge(70n, {}, EXACT)).toMatchObject({ unpaid: 0n, overcharged: 30n, problems: [expect.any(String)] });
});

test("a recorded loss is a problem if the caller should have paid", () => {
  expect(judge(130n, { loss: 30n }, EXACT)).toMatchObject({ unpaid: 0n, problems: [expect.any(String)] });
});

test("two usage rows for one call count as a double charge", () => {
  const judgment = judgeCall({ nonce: "adv-1-x-1", billed: 100n, rows: [ROW, ROW], expects: EXACT });
  expect(judgment).toMatchObject({ overcharged: 100n, problems: [expect.any(String)] });
});

test("an expected estimate is listed if it is within its tolerance, and otherwise counts as unpaid", () => {
  const row = { source: "estimated", cost: 99n };
  expect(judge(100n, row, ABORT)).toMatchObject({ isListedEstimate: true, problems: [] });
  expect(judge(200n, row, ABORT)).toMatchObject({ isListedEstimate: false, unpaid: 101n });
});

test("an estimate above the bill is allowed only with mayExceed and a usage row that names the limit", () => {
  const expects = { ...ABORT, mayExceed: true, limits: ["disconnect_size"] };
  const row = { source: "estimated", cost: 400n };
  expect(judge(100n, { ...row, errorCode: "disconnect_size" }, expects).problems).toEqual([]);
  expect(judge(100n, { ...row, errorCode: null }, expects).problems).toHaveLength(1);
  expect(judge(100n, row, ABORT).problems).toHaveLength(1);
});

test("reported usage must be exact, regardless of the tolerance", () => {
  expect(judge(100n, { cost: 99n }, ABORT).problems).toHaveLength(1);
});

test("a loss is recorded for the part of the cost that the caller does not pay", () => {
  const expects = { kind: "loss", charged: 100n } as const;
  expect(judge(300n, { loss: 200n, lossReasons: "retry" }, expects)).toMatchObject({
    loss: 200n,
    lossCause: "retry",
    problems: [],
  });
  expect(judge(300n, { loss: 0n }, expects)).toMatchObject({ unpaid: 200n, problems: [expect.any(String)] });
  expect(judge(900n, { cost: 500n, loss: 400n }, { kind: "loss", charged: "hold" }).problems).toEqual([]);
});

test("an estimated loss within its tolerance covers the bill", () => {
  const expects = { kind: "loss", charged: 100n, tolerance: 0.5 } as const;
  expect(judge(300n, { loss: 150n }, expects)).toMatchObject({ loss: 200n, unpaid: 0n, problems: [] });
});

test("the amount that a killed gateway could not charge is the operator's loss", () => {
  expect(judge(150n, {}, { kind: "killed" })).toMatchObject({
    loss: 50n,
    lossCause: "killed",
    unpaid: 0n,
    problems: [],
  });
});

test("a call that must be refused has no cost", () => {
  expect(judgeCall({ nonce: "n", billed: 0n, rows: [], expects: { kind: "refused" } }).problems).toEqual([]);
  expect(judge(100n, {}, { kind: "refused" }).problems).toHaveLength(1);
});
