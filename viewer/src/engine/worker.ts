// The engine as WebAssembly, in a worker of its own: a request comes as a message, and the answer goes as one.

interface Exports {
  memory: WebAssembly.Memory;
  reserve(bytes: number): number;
  run(): number;
  answer_at(): number;
}

const worker = self as unknown as {
  onmessage: ((event: MessageEvent<{ engine: ArrayBuffer; request: unknown }>) => void) | null;
  postMessage(message: unknown): void;
};

worker.onmessage = async ({ data }) => {
  try {
    const page = {
      now: () => performance.now(),
      progress: (fraction: number) => worker.postMessage({ fraction }),
    };
    const { instance } = await WebAssembly.instantiate(data.engine, { page });
    const engine = instance.exports as unknown as Exports;
    const request = new TextEncoder().encode(JSON.stringify(data.request));
    const at = engine.reserve(request.length);
    new Uint8Array(engine.memory.buffer, at, request.length).set(request);
    const length = engine.run();
    const answer = new Uint8Array(engine.memory.buffer, engine.answer_at(), length);
    worker.postMessage({ answer: JSON.parse(new TextDecoder().decode(answer)) });
  } catch (failure) {
    const words = failure instanceof Error ? failure.message : String(failure);
    worker.postMessage({ answer: { error: `hopscope is at fault: ${words}` } });
  }
};
