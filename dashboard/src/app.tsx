import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { queryClient } from './api/resource.js';
import { router } from './routes.js';
import { useFocusKeeper } from './shell/keep-focus.js';
import { SessionProvider } from './shell/session.js';
import { ToastProvider } from './ui/toast.js';

export function App() {
  useFocusKeeper();
  return (
    <QueryClientProvider client={queryClient}>
      <ToastProvider>
        <SessionProvider>
          <RouterProvider router={router} />
        </SessionProvider>
      </ToastProvider>
    </QueryClientProvider>
  );
}
