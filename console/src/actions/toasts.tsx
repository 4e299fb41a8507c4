import { Toast } from '@base-ui/react/toast';

const toasts = Toast.createToastManager();

/** Says that a change was made; a screen reader reads it out. */
export const say = (title: string, description?: string): void =>
  void toasts.add({ title, description, timeout: 12_000 });

export const Toasts = () => (
  <Toast.Provider toastManager={toasts}>
    <Toast.Portal>
      <Toast.Viewport className="toasts">
        <ToastList />
      </Toast.Viewport>
    </Toast.Portal>
  </Toast.Provider>
);

function ToastList() {
  const { toasts: shown } = Toast.useToastManager();
  return shown.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className="toast">
      <Toast.Title className="notice-title" render={<p />} />
      <Toast.Description render={<p />} />
      <Toast.Close className="button">Close</Toast.Close>
    </Toast.Root>
  ));
}
