import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './queries.ts';
import { router } from './router.tsx';
import './styles/tokens.css';
import './styles/base.css';
import './styles/controls.css';
import './styles/overview.css';
import './styles/inventory.css';
import './styles/resource.css';
import './styles/drift.css';
import './styles/ledger.css';
import './styles/fleet.css';
import './styles/actions.css';
import './styles/phone.css';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');

createRoot(root).render(
  <StrictMode>
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
