declare module 'onnxruntime-node' {
  export interface TensorData {
    readonly data: Float32Array;
  }

  interface Runtime {
    Tensor: new (type: 'float32', data: Float32Array, dimensions: readonly number[]) => TensorData;
    InferenceSession: {
      create(
        model: Uint8Array,
        options: {
          intraOpNumThreads: number;
          interOpNumThreads: number;
          executionMode: 'sequential';
          logSeverityLevel: number;
        },
      ): Promise<{ run(inputs: Record<string, TensorData>): Promise<Record<string, TensorData>> }>;
    };
  }

  const runtime: Runtime;
  export default runtime;
}
