// SPDX-License-Identifier: GPL-2.0
/*
 * The accelerator as a PCI device, for programs: a UIO device named "vdla" with the maps "registers" and
 * "memory", as generic-uio with reserved memory gives them on Zynq. GPL by necessity: it is part of a kernel.
 */
#include <linux/dma-mapping.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/uio_driver.h>

static unsigned long memory_bytes = 1 << 22;
module_param(memory_bytes, ulong, 0444);
MODULE_PARM_DESC(memory_bytes, "bytes of DMA memory, one piece (4 MiB unless given)");

struct vdla_device {
	struct uio_info info;
	struct pci_dev *pci;
};

/* The line stays high until the program has looked: it is masked until the program lets it through again. */
static irqreturn_t vdla_interrupt(int irq, struct uio_info *info)
{
	struct vdla_device *vdla = info->priv;

	return pci_check_and_mask_intx(vdla->pci) ? IRQ_HANDLED : IRQ_NONE;
}

static int vdla_irqcontrol(struct uio_info *info, s32 on)
{
	struct vdla_device *vdla = info->priv;

	pci_intx(vdla->pci, on != 0);
	return 0;
}

static int vdla_probe(struct pci_dev *pci, const struct pci_device_id *id)
{
	struct vdla_device *vdla;
	struct uio_info *info;
	dma_addr_t address;
	int error;

	vdla = devm_kzalloc(&pci->dev, sizeof(*vdla), GFP_KERNEL);
	if (!vdla)
		return -ENOMEM;
	error = pcim_enable_device(pci);
	if (error)
		return dev_err_probe(&pci->dev, error, "cannot enable the device\n");
	pci_set_master(pci);
	error = dma_set_mask_and_coherent(&pci->dev, DMA_BIT_MASK(64));
	if (error)
		return dev_err_probe(&pci->dev, error, "no DMA with addresses of 64 bits\n");
	vdla->pci = pci;
	info = &vdla->info;
	info->mem[1].internal_addr = dmam_alloc_coherent(&pci->dev, memory_bytes, &address, GFP_KERNEL);
	if (!info->mem[1].internal_addr)
		return dev_err_probe(&pci->dev, -ENOMEM, "no %lu bytes of DMA memory in one piece\n", memory_bytes);
	pci_intx(pci, 0);

	info->name = "vdla";
	info->version = "1";
	info->irq = pci->irq;
	info->irq_flags = IRQF_SHARED;
	info->handler = vdla_interrupt;
	info->irqcontrol = vdla_irqcontrol;
	info->priv = vdla;
	info->mem[0].name = "registers";
	info->mem[0].memtype = UIO_MEM_PHYS;
	info->mem[0].addr = pci_resource_start(pci, 0);
	info->mem[0].size = pci_resource_len(pci, 0);
	info->mem[1].name = "memory";
	info->mem[1].memtype = UIO_MEM_PHYS;
	info->mem[1].addr = address;
	info->mem[1].size = memory_bytes;
	return devm_uio_register_device(&pci->dev, info);
}

static const struct pci_device_id vdla_ids[] = { { PCI_DEVICE(0x1234, 0x1ada) }, {} };
MODULE_DEVICE_TABLE(pci, vdla_ids);

static struct pci_driver vdla_driver = {
	.name = "vdla_uio",
	.id_table = vdla_ids,
	.probe = vdla_probe,
};
module_pci_driver(vdla_driver);

MODULE_DESCRIPTION("VDLA accelerator on PCI, for programs");
MODULE_LICENSE("GPL");
