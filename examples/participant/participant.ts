// A minimal participant: three functions, served on PORT. Run it with examples/participant/run-typescript.
import { Participant } from "@tollgate/sdk/training";

const participant = new Participant();

participant.registerTrain((parameters) => ({ parameters: parameters ?? new Uint8Array(), allowEmpty: true }));
participant.registerEvaluate(() => 0.5);
participant.registerAggregate(([first = new Uint8Array()]) => ({ parameters: first, allowEmpty: true }));

await participant.run();
